// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostObjects

/// Hears what happens in a context on behalf of a controller, until it goes away. Notifications come synchronously and
/// on the context's queue, where the controller is used, too.
final class ContextObservation {
  private var tokens: [any NSObjectProtocol] = []

  init<ResultType>(of controller: FetchedResultsController<ResultType>) {
    // The block runs where the context is used: it does not leave the controller's region.
    nonisolated(unsafe) weak let controller = controller
    let context = controller?.managedObjectContext
    let center = NotificationCenter.default
    tokens = [
      center.addObserver(
        forName: ManagedObjectContext.didChangeObjectsNotification, object: context, queue: nil
      ) { note in
        controller?.contextDidChange(ManagedObjectContext.ObjectChanges(note))
      },
      center.addObserver(
        forName: ManagedObjectContext.didMergeChangesObjectIDsNotification, object: context,
        queue: nil
      ) { note in
        controller?.contextDidMerge(ManagedObjectContext.ObjectIDChanges(note))
      },
    ]
  }

  deinit {
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }
}
