// SPDX-License-Identifier: Apache-2.0

// `import RoostCoreDataNames` replaces `import CoreData`: like that, it also imports Foundation.
//
// Roost's own modules are not re-exported: a program sees their types under Core Data's names only, and its own `Row`
// or `Value` is not ambiguous. Of each module one unused type is exported. With it, the compiler regards the module
// as imported, and makes the members of its extensions to the types with Core Data's names visible, also in programs
// that are compiled with the feature MemberImportVisibility.
@_exported public import Foundation

@_exported public import enum RoostContainers.RoostContainersModule
@_exported public import enum RoostCoordinator.RoostCoordinatorModule
@_exported public import enum RoostMigration.RoostMigrationModule
@_exported public import enum RoostModel.RoostModelModule
@_exported public import enum RoostObjects.RoostObjectsModule
@_exported public import enum RoostQuery.RoostQueryModule
@_exported public import enum RoostStore.RoostStoreModule
