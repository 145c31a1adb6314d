// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

// A debug switch that ends a program which uses a context on the wrong queue (B221). What the compiler can see it
// refuses by itself: a context and its objects are not Sendable.
extension ManagedObjectContext {
  /// What `detectsQueueViolations` is: whether contexts that are made from now on watch how they are used.
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

  /// Ends the program when the context may not be used here.
  @inline(__always) func checkQueue() {
    if checksQueue { requireQueue() }
  }

  private func requireQueue() {
    guard !awaitsUser else { return noteUser() }
    precondition(
      !queue.isWatched || queue.isCurrent,
      "The context \(name ?? "") is used outside of its queue: use perform or performAndWait.")
  }

  /// Lets the context merge on its queue until its first use: what it hears of is told without being asked for, as
  /// under Core Data, and a thread that uses the context without its queue is alone with it from the first use on.
  func awaitUser() {
    guard !queue.isMain, !checksQueue else { return }
    registry.share()
    queue.awaitUser()
    awaitsUser = true
    checksQueue = true
  }

  private func noteUser() {
    if queue.isCurrent {
      // It may be a merge, after which nobody has used the context either.
      guard queue.isWatched else { return }
    } else {
      queue.leaveToOwner()
    }
    awaitsUser = false
    checksQueue = false
  }

  /// Runs a closure on the queue and waits for it, as a part of a caller's request.
  func onQueue<T>(_ block: () throws -> T) rethrows -> T {
    try queue.isCurrent ? block() : queue.wait(for: block)
  }
}
