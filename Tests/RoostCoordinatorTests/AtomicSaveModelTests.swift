// SPDX-License-Identifier: Apache-2.0

import Testing

/// A check of all interleavings of one atomic save, by the model in ``SaveModel``.
@Suite("All interleavings of an atomic save")
struct AtomicSaveModelTests {
  @Test(
    "a save is never torn nor in doubt, whoever is killed and whenever the power fails (X3, X6, X30)",
    arguments: [
      SaveModel(participants: 1, powerLosses: 2), SaveModel(participants: 2),
      SaveModel(participants: 2, resolvers: 1, powerLosses: 2),
      SaveModel(participants: 3, resolvers: 1),
    ])
  func specified(_ model: SaveModel) {
    let walk = ModelWalk(model)
    #expect(walk.fault == nil, "\(walk.path)")
    #expect(walk.states > 1_000 && walk.finalStates > 10, "\(walk.states), \(walk.finalStates)")
  }

  @Test(
    "the same where a server decides, which others reach after their end (X3, X5, X6, X30)",
    arguments: [SaveModel(participants: 1, powerLosses: 2), SaveModel(participants: 2)])
  func server(_ model: SaveModel) {
    var model = model
    model.decidesOnServer = true
    let walk = ModelWalk(model)
    #expect(walk.fault == nil, "\(walk.path)")
    #expect(walk.states > 1_000 && walk.finalStates > 10, "\(walk.states), \(walk.finalStates)")
  }

  @Test(
    "the check finds who asks only by reading, and aborts that are forgotten early (X6)",
    arguments: [SaveModel.Defect.asksByReading, .forgetsAborts])
  func fencing(_ defect: SaveModel.Defect) {
    // Nobody but the coordinator has to fail.
    let walk = ModelWalk(SaveModel(participants: 1, powerLosses: 0, defect: defect))
    #expect(walk.fault == .torn)
  }

  @Test(
    "the check finds who relies on a decision before it is flushed, once the power fails (X3, X30)",
    arguments: [SaveModel.Defect.reliesOnUnflushedDecision, .finishesBeforeFlushing])
  func flushing(_ defect: SaveModel.Defect) {
    var model = SaveModel(participants: 1, defect: defect)
    let walk = ModelWalk(model)
    #expect(walk.fault == .torn && walk.path.contains(.powerLoss), "\(walk.path)")
    model.powerLosses = 0
    #expect(ModelWalk(model).fault == nil)
  }

  @Test(
    "the check finds who acknowledges a part that is not flushed, or not even written (X3, X8, X30)",
    arguments: [SaveModel.Defect.acknowledgesUnflushed, .acknowledgesEarly])
  func acknowledging(_ defect: SaveModel.Defect) {
    let walk = ModelWalk(SaveModel(participants: 1, defect: defect))
    #expect(walk.fault == .inDoubt, "\(walk.path)")
  }
}

/// A breadth-first walk over all states of a model, until one of them is wrong.
private struct ModelWalk {
  enum Step { case coordinator, kill, resolver, resolverKilled, other, powerLoss }
  enum Fault { case torn, inDoubt }

  private(set) var states = 0
  private(set) var finalStates = 0
  private(set) var fault: Fault?
  /// A shortest path to the wrong state.
  private(set) var path: [Step] = []

  init(_ model: SaveModel) {
    let start = SaveModel.State(resolvers: model.resolvers)
    var known: Set = [start]
    var found: [(state: SaveModel.State, origin: Int, step: Step)] = [(start, -1, .other)]
    var next = 0
    while next < found.count {
      let state = found[next].state
      if model.isFinal(state) { finalStates += 1 }
      fault = model.isTorn(state) ? .torn : state.isInDoubt ? .inDoubt : nil
      if fault != nil { break }
      Self.steps(of: model, from: state) { step, following in
        let following = following.normalized
        if known.insert(following).inserted { found.append((following, next, step)) }
      }
      next += 1
    }
    states = found.count
    guard fault != nil else { return }
    while next > 0 {
      path.insert(found[next].step, at: 0)
      next = found[next].origin
    }
  }

  private static func steps(
    of model: SaveModel, from state: SaveModel.State, _ visit: (Step, SaveModel.State) -> Void
  ) {
    if state.isAlive {
      model.coordinatorSteps(state) { visit(.coordinator, $0) }
      var killed = state
      killed.isAlive = false
      visit(.kill, killed)
    }
    for number in state.resolvers.indices {
      model.resolverSteps(number, state) { visit(.resolver, $0) }
      guard state.resolvers[number] != .idle else { continue }
      var killed = state
      killed.resolvers[number] = .idle
      visit(.resolverKilled, killed)
    }
    model.otherSteps(state) { visit(.other, $0) }
    guard state.losses < UInt8(model.powerLosses) else { return }
    for remains in model.remains(state) { visit(.powerLoss, remains) }
  }
}
