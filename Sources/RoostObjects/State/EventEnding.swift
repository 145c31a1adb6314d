// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Ends the events of a context of the main queue when that queue comes to its next turn, as the run loop does for Core
/// Data (B97). An event that began elsewhere than on the main thread ends when the program says so.
final class EventEnding: @unchecked Sendable {
  // Sendable: it is touched on the main thread only, and the reference to the context is weak.

  private weak var context: ManagedObjectContext?
  private var isScheduled = false

  init(_ context: ManagedObjectContext) {
    self.context = context
  }

  /// Ends the event that begins now, once for any number of events until then.
  func schedule() {
    guard Thread.isMainThread, !isScheduled else { return }
    isScheduled = true
    DispatchQueue.main.async { [self] in
      isScheduled = false
      context?.processPendingChanges()
    }
  }
}
