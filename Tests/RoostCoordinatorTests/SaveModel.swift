// SPDX-License-Identifier: Apache-2.0

/// A model of one save over several stores as it is implemented, for a check of all interleavings.
///
/// The coordinator prepares the participants one after the other, decides, finishes them, and acknowledges that. Each
/// of its writes is visible to others before it is flushed. Resolvers finish prepared parts and acknowledge decisions
/// that have been carried out; each of these steps can be its last. The power may fail twice: it ends all processes,
/// and what each file keeps of its unflushed writes is any beginning of them.
struct SaveModel {
  /// A way to break the protocol.
  enum Defect {
    /// A resolver that finds no decision aborts without revoking the coordinator's registration.
    case asksByReading
    /// The coordinator registers again under the same number: that it was fenced is forgotten while it can decide.
    case forgetsAborts
    /// A resolver relies on a decision that it can read, whether it is flushed or not.
    case reliesOnUnflushedDecision
    /// The coordinator finishes the participants before it flushes the decision.
    case finishesBeforeFlushing
    /// A resolver acknowledges that a participant has finished as soon as it can read that.
    case acknowledgesUnflushed
    /// A resolver acknowledges a decision before it finishes the participant.
    case acknowledgesEarly
  }

  var participants = 2
  var resolvers = 2
  var powerLosses = 1
  /// Whether the decider is a server: its writes are flushed when others can see them, the power of the other machine
  /// does not concern it, and the request of a program that has ended may still be carried out.
  var decidesOnServer = false
  var defect: Defect?

  enum Part: UInt8 { case none, prepared, written, discarded }
  enum Ending { case open, committed, aborted, unknown }

  /// A resolver: it finds a part, asks for the decision, finishes the part, flushes that, and acknowledges it.
  enum Resolver: Hashable {
    case idle, found(Int), fencing(Int), told(Int, Bool), finished(Int, Bool), acknowledging(Int)

    /// A number that only this state has.
    fileprivate var order: Int {
      switch self {
      case .idle: 0
      case .found(let part): 10 + part
      case .fencing(let part): 20 + part
      case .told(let part, let isCommitted): 30 + 2 * part + (isCommitted ? 1 : 0)
      case .finished(let part, let isCommitted): 40 + 2 * part + (isCommitted ? 1 : 0)
      case .acknowledging(let part): 50 + part
      }
    }
  }

  /// The state of all participants' files, two bits each.
  struct Parts: Hashable {
    private var bits: UInt8 = 0

    subscript(number: Int) -> Part {
      get { Part(rawValue: bits >> UInt8(2 * number) & 3) ?? .none }
      set {
        let shift = UInt8(2 * number)
        bits = bits & ~(3 << shift) | newValue.rawValue << shift
      }
    }
  }

  /// One version of the decider's file: the registration, the decision, and who has acknowledged it.
  struct Decider: Hashable {
    var isRegistered = true
    var isDecided = false
    var acknowledged: UInt8 = 0

    init() {}

    init(_ byte: UInt8) {
      (isRegistered, isDecided) = (byte & 1 != 0, byte & 2 != 0)
      acknowledged = byte >> 2 & 7
    }

    /// Never zero.
    var byte: UInt8 { (isRegistered ? 1 : 0) | (isDecided ? 2 : 0) | acknowledged << 2 | 0x80 }
  }

  struct State: Hashable {
    /// The number of the coordinator's next step.
    var place: UInt8 = 0
    var ending = Ending.open
    var isAlive = true
    /// Whether the server may still carry out the decision of a coordinator that does not wait for it any more.
    var isRequestUnderWay = false
    var visible = Parts()
    var durable = Parts()
    /// The versions of the decider's file since the last flush, a byte each; the last byte is the visible one.
    private(set) var versions = UInt64(Decider().byte)
    var resolvers: [Resolver]
    var losses: UInt8 = 0
    /// Whether a resolver was told that nobody knows the decision any more.
    var isInDoubt = false

    init(resolvers: Int) { self.resolvers = Array(repeating: .idle, count: resolvers) }

    /// The same state for any order of two resolvers, which are alike.
    var normalized: State {
      guard resolvers.count == 2, resolvers[0].order > resolvers[1].order else { return self }
      var state = self
      state.resolvers.swapAt(0, 1)
      return state
    }

    var decider: Decider { Decider(UInt8(truncatingIfNeeded: versions)) }

    mutating func write(_ change: (inout Decider) -> Void) {
      var next = decider
      change(&next)
      guard next != decider else { return }
      precondition(versions >> 56 == 0, "too many unflushed versions")
      versions = versions << 8 | UInt64(next.byte)
    }

    mutating func flushDecider() { versions &= 0xFF }

    /// What the decider's file may be after a loss of power.
    var deciderRemains: [State] {
      var remains: [State] = []
      var rest = versions
      while rest != 0 {
        var state = self
        state.versions = rest & 0xFF
        remains.append(state)
        rest >>= 8
      }
      return remains
    }
  }

  /// Whether a decision is stored: it is forgotten when all participants have acknowledged it.
  private func isRemembered(_ decider: Decider) -> Bool {
    decider.isDecided && decider.acknowledged != UInt8(1 << participants) - 1
  }

  private func acknowledge(_ part: Int, _ state: inout State) {
    guard isRemembered(state.decider) else { return }
    state.write { $0.acknowledged |= 1 << UInt8(part) }
    if decidesOnServer { state.flushDecider() }
  }

  // MARK: - Coordinator

  private var deciding: Int { 2 * participants }
  private var acknowledging: Int { deciding + 2 + 2 * participants }

  /// The next steps of the coordinator, beside being killed.
  func coordinatorSteps(_ state: State, _ visit: (State) -> Void) {
    let place = Int(state.place)
    var next = state
    next.place += 1
    if place < deciding {
      let part = place / 2
      if place % 2 == 1 {
        next.durable[part] = next.visible[part]
      } else if state.visible[part] == .none {
        next.visible[part] = .prepared
      }
      visit(next)
    } else if place == deciding {
      decide(state, visit)
    } else if place == deciding + 1 {
      settle(&next)
      visit(next)
    } else if place < acknowledging {
      let part = (place - deciding - 2) / 2
      if place % 2 == 1 {
        next.durable[part] = next.visible[part]
      } else if state.visible[part] == .prepared {
        next.visible[part] = state.ending == .committed ? .written : .discarded
      }
      visit(next)
    } else if place == acknowledging {
      if defect == .finishesBeforeFlushing { next.flushDecider() }
      for part in 0..<participants where state.ending == .committed { acknowledge(part, &next) }
      visit(next)
    } else {
      next.isAlive = false
      next.write { $0.isRegistered = false }
      if decidesOnServer { next.flushDecider() }
      visit(next)
    }
  }

  private func decide(_ state: State, _ visit: (State) -> Void) {
    var answered = state
    answered.place += 1
    guard state.decider.isRegistered else {
      answered.ending = .aborted
      return visit(answered)
    }
    // The answer is lost before anything was written, or the server has not come to it yet.
    var lost = answered
    lost.ending = .unknown
    lost.isRequestUnderWay = decidesOnServer
    visit(lost)
    answered.write { $0.isDecided = true }
    if decidesOnServer { answered.flushDecider() }
    answered.ending = .committed
    visit(answered)
    answered.ending = .unknown
    visit(answered)
  }

  /// Flushes the decision, or asks for it by writing where the answer was lost (X5).
  private func settle(_ state: inout State) {
    if state.ending == .unknown {
      let isDecided = state.decider.isDecided
      state.ending = isDecided ? .committed : .aborted
      if !isDecided { state.write { $0.isRegistered = false } }
    }
    if state.ending == .committed, defect == .finishesBeforeFlushing { return }
    state.flushDecider()
  }

  // MARK: - Resolvers

  /// The next steps of a resolver, beside being killed.
  func resolverSteps(_ number: Int, _ state: State, _ visit: (State) -> Void) {
    var next = state
    switch state.resolvers[number] {
    case .idle:
      for part in 0..<participants {
        let isPrepared = state.visible[part] == .prepared
        let acknowledged = state.decider.acknowledged >> UInt8(part) & 1 != 0
        guard isPrepared || isRemembered(state.decider) && !acknowledged else { continue }
        next.resolvers[number] = isPrepared ? .found(part) : gone(part)
        visit(next)
      }
      return
    case .found(let part): ask(number, part, &next)
    case .fencing(let part):
      next.flushDecider()
      next.resolvers[number] = .told(part, false)
    case .told(let part, let isCommitted):
      guard state.visible[part] == .prepared else {
        next.resolvers[number] = isCommitted ? gone(part) : .idle
        break
      }
      next.visible[part] = isCommitted ? .written : .discarded
      next.resolvers[number] = .finished(part, isCommitted)
    case .finished(let part, let isCommitted):
      next.durable[part] = next.visible[part]
      next.resolvers[number] = isCommitted ? .acknowledging(part) : .idle
    case .acknowledging(let part):
      acknowledge(part, &next)
      next.resolvers[number] = .idle
    }
    visit(next)
  }

  /// A part that another process has finished: that is flushed before it is acknowledged.
  private func gone(_ part: Int) -> Resolver {
    defect == .acknowledgesUnflushed ? .acknowledging(part) : .finished(part, true)
  }

  /// Asks the decider, by writing (X6).
  private func ask(_ number: Int, _ part: Int, _ state: inout State) {
    let decider = state.decider
    if isRemembered(decider) {
      if defect != .reliesOnUnflushedDecision { state.flushDecider() }
      if defect == .acknowledgesEarly { acknowledge(part, &state) }
      state.resolvers[number] = .told(part, true)
    } else if decider.acknowledged >> UInt8(part) & 1 != 0 {
      // Nobody needs the decision when the part was finished meanwhile.
      state.isInDoubt = state.visible[part] == .prepared
      state.resolvers[number] = .idle
    } else if decider.isRegistered, defect != .asksByReading {
      state.write { $0.isRegistered = false }
      if decidesOnServer { state.flushDecider() }
      state.resolvers[number] = .fencing(part)
    } else {
      state.resolvers[number] = .told(part, false)
    }
  }

  // MARK: - Others

  /// The steps of others: a coordinator is taken for dead, or registers again, or the server carries out a request.
  func otherSteps(_ state: State, _ visit: (State) -> Void) {
    var next = state
    if state.decider.isRegistered, defect != .asksByReading {
      next.write { $0.isRegistered = false }
      if decidesOnServer || defect == .forgetsAborts { next.flushDecider() }
      visit(next)
    } else if !state.decider.isRegistered, defect == .forgetsAborts, state.isAlive {
      next.write { $0.isRegistered = true }
      next.flushDecider()
      visit(next)
    }
    guard state.isRequestUnderWay else { return }
    var served = state
    served.isRequestUnderWay = false
    if state.decider.isRegistered {
      served.write { $0.isDecided = true }
      served.flushDecider()
    }
    visit(served)
  }

  /// All states that a loss of power can leave.
  func remains(_ state: State) -> [State] {
    var ended = state
    ended.isAlive = false
    ended.losses += 1
    ended.resolvers = state.resolvers.map { _ in .idle }
    var remains = ended.deciderRemains
    for part in 0..<participants {
      let (first, last) = (state.durable[part], state.visible[part])
      var kept = [first]
      if first == .none, last.rawValue > Part.prepared.rawValue { kept.append(.prepared) }
      if first != last { kept.append(last) }
      remains = remains.flatMap { state in
        kept.map { kept in
          var state = state
          (state.visible[part], state.durable[part]) = (kept, kept)
          return state
        }
      }
    }
    return remains
  }

  // MARK: - Verdict

  /// Whether nothing is left to do.
  func isFinal(_ state: State) -> Bool {
    !state.isAlive && !state.isRequestUnderWay && state.resolvers.allSatisfy { $0 == .idle }
      && (0..<participants).allSatisfy { state.visible[$0] != .prepared }
  }

  /// Whether a participant differs from the decider, or a save is gone that has succeeded.
  func isTorn(_ state: State) -> Bool {
    let isDecided = state.decider.isDecided
    if !isDecided, state.ending == .committed, state.place > UInt8(deciding + 1) { return true }
    return (0..<participants).contains { part in
      switch state.visible[part] {
      case .none, .discarded: isDecided
      case .prepared: false
      case .written: !isDecided
      }
    }
  }
}
