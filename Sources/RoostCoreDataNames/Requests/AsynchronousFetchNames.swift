// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

/// ``AsynchronousFetchRequest``.
public typealias NSAsynchronousFetchRequest<ResultType> = AsynchronousFetchRequest<ResultType>
/// ``AsynchronousFetchResult``.
public typealias NSAsynchronousFetchResult<ResultType> = AsynchronousFetchResult<ResultType>
/// ``PersistentStoreAsynchronousResult``.
public typealias NSPersistentStoreAsynchronousResult = PersistentStoreAsynchronousResult
