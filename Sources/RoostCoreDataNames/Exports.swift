// SPDX-License-Identifier: Apache-2.0

// `import RoostCoreDataNames` takes the place of `import CoreData`: it brings Foundation, as that does, and the stores
// that Core Data has.
@_exported public import Foundation
@_exported public import Roost
@_exported public import RoostInMemory
@_exported public import RoostSQLite
