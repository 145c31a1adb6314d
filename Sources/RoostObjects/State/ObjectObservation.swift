// SPDX-License-Identifier: Apache-2.0

import Observation
import RoostModel

extension ObjectObservation {
  /// Tells that a property is read.
  func tellRead(_ key: String) {
    guard let observation = owner.context?.eventState.observation, !owner.flags.contains(.awakening)
    else { return }
    observation.registrar(of: owner).access(owner, keyPath: observation.keyPath(key))
  }

  /// Tells that a property of the class is read, by its place in the class.
  func tellRead(property: Int) {
    if let key = key(ofProperty: property) { tellRead(key) }
  }

  /// Tells that a property is going to change.
  func tellWillChange(_ key: String) {
    guard let observation = owner.context?.eventState.observation else { return }
    observation.knownRegistrar(of: owner)?.willSet(owner, keyPath: observation.keyPath(key))
  }

  /// Tells that the attribute in a slot is going to change.
  func tellWillChange(slot: Int) {
    if let attribute = owner.binding.attribute(ofSlot: slot) { tellWillChange(attribute.name) }
  }

  /// Tells that a property was changed.
  func tellDidChange(_ key: String) {
    guard let observation = owner.context?.eventState.observation else { return }
    observation.knownRegistrar(of: owner)?.didSet(owner, keyPath: observation.keyPath(key))
  }

  /// Tells that all properties may have other values now.
  func tellReplacement() {
    guard owner.isObserved, let observation = owner.context?.eventState.observation,
      let registrar = observation.knownRegistrar(of: owner)
    else { return }
    for property in owner.binding.entity.properties {
      let keyPath = observation.keyPath(property.name)
      registrar.willSet(owner, keyPath: keyPath)
      registrar.didSet(owner, keyPath: keyPath)
    }
  }

  func key(ofProperty property: Int) -> String? {
    let names = type(of: owner)._entityDeclaration?.propertyNames ?? []
    return property < names.count ? names[property] : nil
  }
}
