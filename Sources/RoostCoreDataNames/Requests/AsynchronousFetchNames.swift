// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

/// ``AsynchronousFetchRequest``.
public typealias NSAsynchronousFetchRequest<ResultType: ManagedObject> = AsynchronousFetchRequest<
  ResultType
>
/// ``AsynchronousFetchResult``.
public typealias NSAsynchronousFetchResult<ResultType: ManagedObject> = AsynchronousFetchResult<
  ResultType
>
/// ``PersistentStoreAsynchronousResult``.
public typealias NSPersistentStoreAsynchronousResult = PersistentStoreAsynchronousResult
