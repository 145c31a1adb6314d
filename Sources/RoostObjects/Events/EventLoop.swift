// SPDX-License-Identifier: Apache-2.0

extension EventLoop {
  /// Ends the current event: registers its undo (B108), and posts its changes. If an observer ends another event
  /// meanwhile, that one is posted after the first.
  func endEvent(registersUndo: Bool = true) {
    guard !context.changes.event.isEmpty else { return }
    guard isHeard || registersUndo && context.changes.isRecording else {
      return context.changes.dropEvent()
    }
    var log = context.changes.takeEvent()
    if registersUndo { context.undoRecorder.registerUndo(of: log) }
    // Closing an undo group may have added an observer.
    guard isHeard else { return }
    let isFollowed = context.eventState.follower != nil
    let lists = log.lists()
    let change = isFollowed ? GraphChange(&log, lists) : nil
    context.eventState.untold.append(UntoldEvent(log: log, lists: lists, change: change))
    guard !context.eventState.isTelling else { return }
    context.eventState.isTelling = true
    defer { context.eventState.isTelling = false }
    for _ in 0..<ManagedObjectContext.willSaveRounds where !context.eventState.untold.isEmpty {
      let event = context.eventState.untold.removeFirst()
      guard !event.lists.isEmpty else { continue }
      context.eventState.postedEvent = event.log
      if let change = event.change { context.eventState.follower?.eventDidEnd(change) }
      postObjectsDidChange(event.lists)
      context.eventState.postedEvent = nil
    }
  }

  private var isHeard: Bool {
    context.eventState.follower != nil || ContextNotification.objectsDidChange.isWanted
      || context.eventState.messageHub != nil
  }

  /// Records that the values of an object were read again (B100).
  func noteRefresh(of object: ManagedObject) {
    if context.changes.event.isEmpty { context.changes.eventEnding?.schedule() }
    context.changes.event.refreshed.append(object)
  }
}
