// SPDX-License-Identifier: Apache-2.0

extension FetchExpression {
  /// The expression of a derived attribute as Xcode's compiler spells it: `count:(pages)` for `pages.@count`, and
  /// `sum:(pages.words)` for `pages.words.@sum`. Other expressions stay as they are.
  ///
  /// Version hashes depend on this spelling, so that a model has the same hash whether it was read from its source,
  /// read compiled, or declared in Swift.
  package var derivationForm: FetchExpression {
    guard case .keyPath(let steps) = self,
      let place = steps.firstIndex(where: { $0.hasPrefix("@") }),
      !steps[(place + 1)...].contains(where: { $0.hasPrefix("@") })
    else { return self }
    let path = FetchExpression.keyPath(Array(steps[..<place] + steps[(place + 1)...]))
    switch steps[place] {
    case "@count" where place == steps.count - 1 && place > 0: return .function(.count, [path])
    case "@sum" where steps.count > 2 && place > 0: return .function(.sum, [path])
    default: return self
    }
  }
}
