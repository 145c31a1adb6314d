// SPDX-License-Identifier: Apache-2.0

public import Roost
public import RoostObjects

/// ``FetchedResultsController``.
public typealias NSFetchedResultsController<ResultType: ManagedObject> = FetchedResultsController<
  ResultType
>
/// ``FetchedResultsControllerDelegate``.
public typealias NSFetchedResultsControllerDelegate = FetchedResultsControllerDelegate
/// ``FetchedResultsSectionInfo``.
public typealias NSFetchedResultsSectionInfo = FetchedResultsSectionInfo
/// ``FetchedResultsChangeType``.
public typealias NSFetchedResultsChangeType = FetchedResultsChangeType
