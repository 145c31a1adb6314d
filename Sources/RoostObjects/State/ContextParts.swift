// SPDX-License-Identifier: Apache-2.0

// The parts of a context. Each is a struct over its context: with a class, every access would count a reference to
// the context. The state of a part is stored in the context (ContextState.swift) and private to the part by
// convention.

extension ManagedObjectContext {
  /// The objects of the context by ID.
  @inline(__always) var registry: ObjectRegistry { ObjectRegistry(context: self) }
}

/// Fulfils faults and reads the destinations of relationships, for all objects of a fetch group at once.
struct FaultLoader {
  let context: ManagedObjectContext
}

/// Executes fetch requests: resolves them, sends them upstream, overlays unsaved changes on the result.
struct Fetcher {
  let context: ManagedObjectContext
}

/// Creates the one object of each record, and attaches rows to objects.
struct RowMaterializer {
  let context: ManagedObjectContext
}

/// Ends the events of a context and posts their changes.
struct EventLoop {
  let context: ManagedObjectContext
}

/// Saves a context: settles and validates its changes, writes them upstream, and resolves conflicts.
struct SaveEngine {
  let context: ManagedObjectContext
}

/// The level below a context: its parent, or the coordinator in one generation of its stores.
struct Upstream {
  let context: ManagedObjectContext
}

/// Answers the requests of a context's children, and applies their saves.
struct ChildRequests {
  let context: ManagedObjectContext
}

/// Merges the saves of other contexts into a context.
struct ChangeMerger {
  let context: ManagedObjectContext
}

/// Registers the undo of a context's events with the undo manager, and carries it out.
struct UndoRecorder {
  let context: ManagedObjectContext
}

/// Records read errors and refused changes in places where nothing can be thrown.
package struct ReadErrors {
  let context: ManagedObjectContext
}

/// Marks objects for deletion, and applies the delete rules of their relationships.
struct DeletePropagation {
  let context: ManagedObjectContext
}

/// Internals of a context for the product with Core Data's names; the context's own methods have Roost's names.
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

  /// The context, for a caller that has called `checkQueue()`. Until the first use the queue may be merging into the
  /// context on another thread.
  @inline(__always) private var used: ManagedObjectContext {
    assert(
      !awaitsUser || !inbox.hears || queue.isCurrent, "A use of a context begins with checkQueue()."
    )
    return self
  }
}
