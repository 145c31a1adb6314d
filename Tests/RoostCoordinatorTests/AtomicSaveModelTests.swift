// SPDX-License-Identifier: Apache-2.0

import Testing

/// A model check of all interleavings of one atomic save: a coordinator that may be killed between any two steps, and
/// whose decision may come at any time; two resolvers that finish prepared parts at any time, and may be killed, too;
/// and a process that forgets decisions.
///
/// A state is torn if a participant has finished with another outcome than the decision, or if no step is left and
/// the participants do not agree.
@Suite("All interleavings of an atomic save")
struct AtomicSaveModelTests {
  @Test("a save is never torn, with one to three participants (X3, X6)", arguments: 1...3)
  func specified(_ participants: Int) {
    let result = SaveModel(participants: participants).explore()
    #expect(result.torn == nil)
    #expect(result.states > 100 && result.finalStates > 3)
  }

  @Test("the check finds what is wrong: who asks only reads, so two sides decide differently (X6)")
  func readingOnly() {
    let result = SaveModel(participants: 2, fences: false).explore()
    #expect(result.torn?.suffix(2).contains(.coordinator) == true)
  }

  @Test("the check finds what is wrong: the fence is lifted while the coordinator can decide (X6)")
  func forgettingEarly() {
    let result = SaveModel(participants: 2, registersAgain: true).explore()
    #expect(result.torn != nil)
  }

  @Test("the check finds what is wrong: a decision is forgotten before all have finished (X3)")
  func forgettingDecisions() {
    let result = SaveModel(participants: 2, forgetsEarly: true).explore()
    #expect(result.torn != nil)
  }
}

/// The protocol, and three ways to break it.
private struct SaveModel {
  var participants: Int
  /// Whether a resolver that finds no decision revokes the coordinator's registration (fencing).
  var fences = true
  /// Whether the coordinator registers again under the same number.
  var registersAgain = false
  /// Whether decisions are forgotten while participants still have parts.
  var forgetsEarly = false

  enum Step: Hashable { case coordinator, kill, resolver, resolverKilled, forget, register }
  enum Ending: Hashable { case committed, aborted }

  /// A resolver: it finds a prepared part, asks for the decision, and finishes the part accordingly.
  enum Resolver: Hashable {
    case idle
    case found(Int)
    case told(Int, Ending)
  }

  struct State: Hashable {
    var place = 0
    var ending: Ending?
    var isAlive = true
    var isRegistered = true
    var isPrepared: [Bool]
    var finished: [Ending?]
    /// Whether the decision is stored.
    var isRemembered = false
    /// Whether the decider has committed its part.
    var isDecided = false
    var resolvers: [Resolver] = [.idle, .idle]
  }

  func explore() -> (states: Int, finalStates: Int, torn: [Step]?) {
    let start = State(
      isPrepared: Array(repeating: false, count: participants),
      finished: Array(repeating: nil, count: participants))
    var origins: [State: Origin] = [start: Origin()]
    var waiting = [start]
    var (next, finalStates) = (0, 0)
    while next < waiting.count {
      let state = waiting[next]
      next += 1
      if isFinal(state) { finalStates += 1 }
      if isTorn(state) { return (origins.count, finalStates, path(to: state, origins)) }
      for (step, following) in steps(from: state) where origins[following] == nil {
        origins[following] = Origin(state: state, step: step)
        waiting.append(following)
      }
    }
    return (origins.count, finalStates, nil)
  }

  /// The predecessor from which a state was first reached.
  private struct Origin {
    var state: State?
    var step: Step?
  }

  private func path(to state: State, _ origins: [State: Origin]) -> [Step] {
    var (steps, place): ([Step], State) = ([], state)
    while let origin = origins[place], let former = origin.state, let step = origin.step {
      steps.insert(step, at: 0)
      place = former
    }
    return steps
  }

  private func isFinal(_ state: State) -> Bool {
    !state.isAlive && !state.isPrepared.contains(true)
      && state.resolvers.allSatisfy { $0 == .idle }
  }

  private func isTorn(_ state: State) -> Bool {
    let other: Ending = state.isDecided ? .aborted : .committed
    if state.finished.contains(other) { return true }
    return isFinal(state) && state.isDecided && state.finished.contains { $0 != .committed }
  }

  // MARK: - Steps

  private func steps(from state: State) -> [(Step, State)] {
    coordinatorSteps(state) + state.resolvers.indices.flatMap { resolverSteps($0, state) }
      + forgettingSteps(state)
  }

  private func coordinatorSteps(_ state: State) -> [(Step, State)] {
    guard state.isAlive else { return [] }
    var killed = state
    killed.isAlive = false
    var steps: [(Step, State)] = [(.kill, killed)]
    var following = state
    if state.place < participants {
      if state.finished[state.place] == nil { following.isPrepared[state.place] = true }
    } else if state.place == participants {
      following.ending = state.isRegistered ? .committed : .aborted
      if state.isRegistered { (following.isDecided, following.isRemembered) = (true, true) }
    } else if state.place <= 2 * participants {
      let index = state.place - participants - 1
      if state.isPrepared[index] { finish(index, state.ending, &following) }
    } else {
      (following.isAlive, following.isRegistered) = (false, false)
    }
    following.place += state.place <= 2 * participants ? 1 : 0
    steps.append((.coordinator, following))
    if registersAgain, !state.isRegistered {
      var registered = state
      registered.isRegistered = true
      steps.append((.register, registered))
    }
    return steps
  }

  private func finish(_ index: Int, _ ending: Ending?, _ state: inout State) {
    state.isPrepared[index] = false
    state.finished[index] = ending
  }

  private func resolverSteps(_ number: Int, _ state: State) -> [(Step, State)] {
    var killed = state
    killed.resolvers[number] = .idle
    var following = state
    switch state.resolvers[number] {
    case .idle:
      return state.isPrepared.indices.filter { state.isPrepared[$0] }.map { index in
        var looking = state
        looking.resolvers[number] = .found(index)
        return (.resolver, looking)
      }
    case .found(let index):
      following.resolvers[number] = .told(index, state.isRemembered ? .committed : .aborted)
      if fences, !state.isRemembered { following.isRegistered = false }
    case .told(let index, let ending):
      following.resolvers[number] = .idle
      if state.isPrepared[index] { finish(index, ending, &following) }
    }
    return [(.resolver, following), (.resolverKilled, killed)]
  }

  private func forgettingSteps(_ state: State) -> [(Step, State)] {
    var steps: [(Step, State)] = []
    if state.isRegistered, fences {
      // Another process revokes the registration of a coordinator that it takes for dead.
      var fenced = state
      fenced.isRegistered = false
      steps.append((.forget, fenced))
    }
    let isOver = state.finished.allSatisfy { $0 != nil }
    if state.isRemembered, isOver || forgetsEarly {
      var forgotten = state
      forgotten.isRemembered = false
      steps.append((.forget, forgotten))
    }
    return steps
  }
}
