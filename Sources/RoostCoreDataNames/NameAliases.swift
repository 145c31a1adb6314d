// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostQuery
public import RoostStore

// Aliases for types that differ from Core Data's only in the missing prefix.

/// ``ManagedObject``.
public typealias NSManagedObject = ManagedObject
/// ``ObjectID``.
public typealias NSManagedObjectID = ObjectID
/// ``ManagedObjectContext``.
public typealias NSManagedObjectContext = ManagedObjectContext
/// ``ManagedObjectContext/ConcurrencyType``.
public typealias NSManagedObjectContextConcurrencyType = ManagedObjectContext.ConcurrencyType
/// ``ManagedObjectModel``.
public typealias NSManagedObjectModel = ManagedObjectModel
/// ``PersistentStoreCoordinator``.
public typealias NSPersistentStoreCoordinator = PersistentStoreCoordinator

/// ``EntityDescription``.
public typealias NSEntityDescription = EntityDescription
/// ``PropertyDescription``.
public typealias NSPropertyDescription = PropertyDescription
/// ``AttributeDescription``.
public typealias NSAttributeDescription = AttributeDescription
/// ``AttributeType``.
public typealias NSAttributeType = AttributeType
/// ``CompositeAttributeDescription``.
public typealias NSCompositeAttributeDescription = CompositeAttributeDescription
/// ``DerivedAttributeDescription``.
public typealias NSDerivedAttributeDescription = DerivedAttributeDescription
/// ``RelationshipDescription``.
public typealias NSRelationshipDescription = RelationshipDescription
/// ``DeleteRule``.
public typealias NSDeleteRule = DeleteRule
/// ``FetchedPropertyDescription``.
public typealias NSFetchedPropertyDescription = FetchedPropertyDescription
/// ``ExpressionDescription``.
public typealias NSExpressionDescription = ExpressionDescription
/// ``FetchIndexDescription``.
public typealias NSFetchIndexDescription = FetchIndexDescription
/// ``FetchIndexElementDescription``.
public typealias NSFetchIndexElementDescription = FetchIndexElementDescription
/// ``FetchIndexElementType``.
public typealias NSFetchIndexElementType = FetchIndexElementType

/// ``FetchRequest``.
public typealias NSFetchRequest = FetchRequest
/// ``FetchRequestResult``. The results of `NSFetchRequest<NSFetchRequestResult>` depend on its `resultType`.
public typealias NSFetchRequestResult = FetchRequestResult
/// ``FetchRequestResultType``.
public typealias NSFetchRequestResultType = FetchRequestResultType

/// ``PersistentStoreRequest``.
public typealias NSPersistentStoreRequest = PersistentStoreRequest
/// ``PersistentStoreRequestType``.
public typealias NSPersistentStoreRequestType = PersistentStoreRequestType
/// ``PersistentStoreResult``.
public typealias NSPersistentStoreResult = PersistentStoreResult
/// ``BatchInsertRequest``.
public typealias NSBatchInsertRequest = BatchInsertRequest
/// ``BatchInsertRequestResultType``.
public typealias NSBatchInsertRequestResultType = BatchInsertRequestResultType
/// ``BatchInsertResult``.
public typealias NSBatchInsertResult = BatchInsertResult
/// ``BatchUpdateRequest``.
public typealias NSBatchUpdateRequest = BatchUpdateRequest
/// ``BatchUpdateRequestResultType``.
public typealias NSBatchUpdateRequestResultType = BatchUpdateRequestResultType
/// ``BatchUpdateResult``.
public typealias NSBatchUpdateResult = BatchUpdateResult
/// ``BatchDeleteRequest``.
public typealias NSBatchDeleteRequest = BatchDeleteRequest
/// ``BatchDeleteRequestResultType``.
public typealias NSBatchDeleteRequestResultType = BatchDeleteRequestResultType
/// ``BatchDeleteResult``.
public typealias NSBatchDeleteResult = BatchDeleteResult
/// ``SnapshotEventType``.
public typealias NSSnapshotEventType = SnapshotEventType
/// ``QueryGenerationToken``.
public typealias NSQueryGenerationToken = QueryGenerationToken
#if !canImport(Darwin)
/// ``ChangeUndoManager``: Foundation has no undo manager outside of Apple's systems.
public typealias UndoManager = ChangeUndoManager
#endif
