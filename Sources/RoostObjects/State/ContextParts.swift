// SPDX-License-Identifier: Apache-2.0

// The parts that a context is made of. Each is a value over its context: a class would count a reference with each look
// at the context. What a part keeps lies in the context (ContextState.swift) and is the part's own.

extension ManagedObjectContext {
  /// The objects of the context by ID.
  @inline(__always) var registry: ObjectRegistry { ObjectRegistry(context: self) }
}

/// Reads the values that faults stand for, and the destinations of relationships: for all objects of a group at
/// once.
struct FaultLoader {
  let context: ManagedObjectContext
}

/// Carries out fetch requests: resolves them, asks upstream, lays unsaved changes over the answer.
struct Fetcher {
  let context: ManagedObjectContext
}

/// Makes the one object of each record, and attaches rows to objects.
struct RowMaterializer {
  let context: ManagedObjectContext
}

/// Ends the events of a context and posts what changed in them.
struct EventLoop {
  let context: ManagedObjectContext
}

/// Saves a context: settles and validates its changes, writes them upstream, and resolves conflicts.
struct SaveEngine {
  let context: ManagedObjectContext
}

/// What a context reads from and saves to: its parent, or the coordinator in one generation of its stores.
struct Upstream {
  let context: ManagedObjectContext
}

/// Answers what the children of a context ask, and takes over what they save.
struct ChildRequests {
  let context: ManagedObjectContext
}

/// Merges what other contexts have saved into a context.
struct ChangeMerger {
  let context: ManagedObjectContext
}

/// Registers with the undo manager how the events of a context are taken back, and takes them back.
struct UndoRecorder {
  let context: ManagedObjectContext
}

/// Notes what could not be read, or was refused, where nothing could be thrown.
package struct ReadErrors {
  let context: ManagedObjectContext
}

/// Marks objects for deletion, and applies the delete rules of their relationships.
struct DeletePropagation {
  let context: ManagedObjectContext
}

/// What the product with Core Data's names calls of a context; its own methods have the names of ours.
package struct ContextBridge {
  let context: ManagedObjectContext
}

extension ManagedObjectContext {
  @inline(__always) var loader: FaultLoader { FaultLoader(context: used) }
  @inline(__always) var fetcher: Fetcher { Fetcher(context: used) }
  @inline(__always) var materializer: RowMaterializer { RowMaterializer(context: used) }
  @inline(__always) var events: EventLoop { EventLoop(context: used) }
  @inline(__always) var saver: SaveEngine { SaveEngine(context: used) }
  @inline(__always) var upstream: Upstream { Upstream(context: used) }
  @inline(__always) var children: ChildRequests { ChildRequests(context: used) }
  @inline(__always) var merger: ChangeMerger { ChangeMerger(context: self) }
  @inline(__always) var undoRecorder: UndoRecorder { UndoRecorder(context: used) }
  @inline(__always) package var readErrors: ReadErrors { ReadErrors(context: used) }
  @inline(__always) var deletion: DeletePropagation { DeletePropagation(context: used) }
  @inline(__always) package var bridge: ContextBridge { ContextBridge(context: self) }

  /// The context, to a caller that has noted its use of it. Until the first use the queue may be merging into the
  /// context on another thread.
  @inline(__always) private var used: ManagedObjectContext {
    assert(
      !awaitsUser || !inbox.hears || queue.isCurrent, "A use of a context begins with checkQueue()."
    )
    return self
  }
}
