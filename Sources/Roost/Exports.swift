// SPDX-License-Identifier: Apache-2.0

// `import Roost` is all that a program needs, beside its backend.
@_exported public import RoostContainers
@_exported public import RoostCoordinator
@_exported public import RoostExchange
@_exported public import RoostMigration
@_exported public import RoostModel
@_exported public import RoostObjects
@_exported public import RoostQuery
@_exported public import RoostStore
