// SPDX-License-Identifier: Apache-2.0

import Foundation

extension FetchedPropertyReader {
  /// Releases the results of fetched properties iteratively, one object after the other.
  func forgetFetchedValues() {
    guard owner.flags.contains(.hasFetchedValues) else { return }
    owner.flags.remove(.hasFetchedValues)
    guard let context = owner.context,
      var values = context.registry.exclusively({
        context.fetchedValues.removeValue(forKey: ObjectIdentifier(owner))
      })
    else { return }
    var objects: [ManagedObject] = []
    for case let found as [ManagedObject] in values.values { objects += found }
    values = [:]
    let kept = LinkStates(to: objects)
    objects = []
    context.release(kept)
  }
}
