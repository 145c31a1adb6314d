// SPDX-License-Identifier: Apache-2.0

/// Options of live results.
///
/// ```swift
/// var options = LiveOptions()
/// options.scope = .thisCoordinator
/// let people = try context.live(Person.fetchRequest().sorted(by: \.name), options: options)
/// ```
public struct LiveOptions: Sendable, Hashable {
  /// The writers whose changes are shown; ``Scope-swift.enum/everything`` by default.
  public var scope: Scope = .everything
  /// The minimum time between two updates of an asynchronous sequence; changes in between are combined. It is 16
  /// milliseconds by default; zero delivers each update as soon as it is read.
  public var minimumInterval: Duration = .milliseconds(16)
  /// The consistency of the results; ``Consistency-swift.enum/eventual`` by default.
  public var consistency: Consistency = .eventual
  /// The buffering for a reader that is slower than the changes; ``Buffering-swift.enum/newest`` by default.
  public var buffering: Buffering = .newest
  /// The key path whose value names the section of an object; nil for one section without a name. The first sort
  /// descriptor of the request must sort consistently with it. Readings of a container, which hand over values, refuse
  /// it.
  public var sectionKeyPath: String?
  /// Whether the objects in the results can be observed, without `allowsObservation` for the whole context. It is
  /// true by default; reading a property of an observed object costs about as much as a dictionary look-up. It has no
  /// meaning for readings of a container: their objects are seen by the closure that makes the values only.
  public var observesObjects = true

  /// Makes default options: all writers, and at most one update every 16 milliseconds.
  public init() {}

  /// The writers whose changes are shown.
  ///
  /// ```swift
  /// options.scope = .thisContext
  /// ```
  public enum Scope: Sendable, Hashable {
    /// Changes by the context, by all contexts of its coordinator, by other coordinators and by other processes. The
    /// context merges others' saves from then on, as with `mergesRemoteChanges`. A store with a history reports what
    /// was written and by whom; for any other store everything is read again after a write, at most once a second
    /// after own saves. Turn on the history of a store that others write, or choose ``thisCoordinator``.
    case everything
    /// Changes by the context and by all contexts of its coordinator. The context merges them from then on, as with
    /// `automaticallyMergesChangesFromParent`.
    case thisCoordinator
    /// Changes by the context, and those that the program merges into it explicitly.
    case thisContext
  }

  /// The consistency of the results.
  ///
  /// ```swift
  /// options.consistency = .snapshot
  /// ```
  public enum Consistency: Sendable, Hashable {
    /// Each change is applied to the results as it is read; two saves in quick succession may be seen partially for a
    /// short time.
    case eventual
    /// The results are fetched again by one request after each relevant change, so that they show one snapshot of
    /// each store. It costs a fetch for each such change. The closure of `liveValue` gets a context that reads one
    /// snapshot of each store that has snapshots.
    case snapshot
  }

  /// The buffering for a reader that is slower than the changes.
  ///
  /// ```swift
  /// options.buffering = .everyUpdate(maximum: 100)
  /// ```
  public enum Buffering: Sendable, Hashable {
    /// The newest state, and its difference from the last one that was read.
    case newest
    /// Every update, up to a maximum number; beyond it the sequence ends with `limitExceeded`. A maximum below 1 is
    /// refused with `invalidRequest`.
    case everyUpdate(maximum: Int)
  }
}
