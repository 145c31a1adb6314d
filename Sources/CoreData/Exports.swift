// SPDX-License-Identifier: Apache-2.0

// `import CoreData` on a system that has no Core Data: the names, under the module name that programs ask for.
@_exported public import RoostCoreDataNames
