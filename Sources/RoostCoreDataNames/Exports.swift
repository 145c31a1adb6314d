// SPDX-License-Identifier: Apache-2.0

// `import RoostCoreDataNames` takes the place of `import CoreData`: it brings Foundation, as that does.
//
// Roost's own modules are not exported: a program sees their types under Core Data's names only, and its own `Row` or
// `Value` is not ambiguous. What is exported of each is one type that nobody has a use for. With it, the compiler
// counts the module as imported, and shows the members that its extensions give to the types with Core Data's names,
// also to programs that are compiled with the feature MemberImportVisibility.
@_exported public import Foundation

@_exported public import enum RoostContainers.RoostContainersModule
@_exported public import enum RoostCoordinator.RoostCoordinatorModule
@_exported public import enum RoostMigration.RoostMigrationModule
@_exported public import enum RoostModel.RoostModelModule
@_exported public import enum RoostObjects.RoostObjectsModule
@_exported public import enum RoostQuery.RoostQueryModule
@_exported public import enum RoostStore.RoostStoreModule
