// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

// A debug switch that ends a program which uses a context on the wrong queue (B221). The compiler catches most of
// these errors by itself: a context and its objects are not Sendable.
extension ManagedObjectContext {
  /// The value of `detectsQueueViolations`: whether contexts created from now on check that they are used on their
  /// queue.
  package static var watchesQueues: Bool {
    get { isDetecting.load(ordering: .relaxed) }
    set { isDetecting.store(newValue, ordering: .relaxed) }
  }

  private static let isDetecting = Atomic<Bool>(isWantedAtLaunch)

  private static var isWantedAtLaunch: Bool {
    let arguments = ProcessInfo.processInfo.arguments
    let name = "-com.apple.CoreData.ConcurrencyDebug"
    if let index = arguments.firstIndex(of: name), arguments.dropFirst(index + 1).first == "1" {
      return true
    }
    return ProcessInfo.processInfo.environment["ROOST_CONCURRENCY_DEBUG"] == "1"
  }

  /// Ends the program when the context is used off its queue.
  @inline(__always) func checkQueue() {
    if checksQueue { requireQueue() }
  }

  private func requireQueue() {
    guard !awaitsUser else { return noteUser() }
    precondition(
      !queue.isWatched || queue.isCurrent,
      "The context \(name ?? "") is used outside of its queue: use perform or performAndWait.")
  }

  /// Lets the context merge on its queue until its first use: notifications are posted without a use, as under Core
  /// Data, and a thread that uses the context without its queue has exclusive access from the first use on.
  func awaitUser() {
    guard !queue.isMain, !checksQueue else { return }
    registry.share()
    queue.awaitUser()
    awaitsUser = true
    checksQueue = true
  }

  private func noteUser() {
    if queue.isCurrent {
      // The caller may be a merge, after which the context still counts as unused.
      guard queue.isWatched else { return }
    } else {
      queue.leaveToOwner()
    }
    awaitsUser = false
    checksQueue = false
  }

  /// Runs a closure synchronously on the queue, as a part of the caller's request.
  func onQueue<T>(_ block: () throws -> T) rethrows -> T {
    try queue.isCurrent ? block() : queue.wait(for: block)
  }
}
