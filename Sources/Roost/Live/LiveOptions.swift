// SPDX-License-Identifier: Apache-2.0

/// How live results follow their stores.
///
/// ```swift
/// var options = LiveOptions()
/// options.scope = .thisCoordinator
/// let people = try context.live(Person.fetchRequest().sorted(by: \.name), options: options)
/// ```
public struct LiveOptions: Sendable, Hashable {
  /// Whose changes are shown. It is ``Scope-swift.enum/everything`` unless set.
  public var scope: Scope = .everything
  /// The shortest time between two updates of an asynchronous sequence; what happens meanwhile is told together. It is
  /// 16 milliseconds unless set; zero tells each update as soon as it is read.
  public var minimumInterval: Duration = .milliseconds(16)
  /// Which states are shown. It is ``Consistency-swift.enum/eventual`` unless set.
  public var consistency: Consistency = .eventual
  /// What is kept for a reader that is slower than the changes. It is ``Buffering-swift.enum/newest`` unless set.
  public var buffering: Buffering = .newest
  /// The key path whose value names the section of an object; nil for one section without a name. The first step of the
  /// request's order has to order like it.
  public var sectionKeyPath: String?
  /// Whether the objects that are handed out can be observed, without `allowsObservation` for the whole context. It is
  /// true unless set; a property of an observed object costs about as much to read as an entry of a dictionary.
  public var observesObjects = true

  /// Makes options: everything, at most each 16 milliseconds.
  public init() {}

  /// Whose changes are shown.
  ///
  /// ```swift
  /// options.scope = .thisContext
  /// ```
  public enum Scope: Sendable, Hashable {
    /// Those of the context, of all contexts of its coordinator, of other coordinators and of other processes. The
    /// context merges what others save from then on, as with `mergesRemoteChanges`. A store that keeps a history says
    /// what was written and by whom; of any other one everything is read anew when it was written, at most once a
    /// second after own saves: switch on the history of a store that others write, or choose ``thisCoordinator``.
    case everything
    /// Those of the context and of all contexts of its coordinator. The context merges them from then on, as with
    /// `automaticallyMergesChangesFromParent`.
    case thisCoordinator
    /// Those of the context, and what it merges because the program says so.
    case thisContext
  }

  /// Which states are shown.
  ///
  /// ```swift
  /// options.consistency = .snapshot
  /// ```
  public enum Consistency: Sendable, Hashable {
    /// Each change is laid over the results as it is read; two saves that follow each other closely may be seen in
    /// parts for a moment.
    case eventual
    /// The results are read by one request after each change that concerns them, so that they are those of one moment
    /// of each store. It costs a fetch for each such change.
    case snapshot
  }

  /// What is kept for a reader that is slower than the changes.
  ///
  /// ```swift
  /// options.buffering = .everyUpdate(maximum: 100)
  /// ```
  public enum Buffering: Sendable, Hashable {
    /// The newest state, and how it differs from the one that was read last.
    case newest
    /// Every update, up to a number of them; then the sequence ends with `limitExceeded`.
    case everyUpdate(maximum: Int)
  }
}
