// SPDX-License-Identifier: Apache-2.0

import Observation
import RoostModel

extension ObjectObservation {
  /// Reports that a property is being read.
  func tellRead(_ key: String) {
    guard let observation = owner.context?.eventState.observation, !owner.flags.contains(.awakening)
    else { return }
    observation.registrar(of: owner).access(owner, keyPath: observation.keyPath(key))
  }

  /// Reports that a property of the class is being read, by its index in the class.
  func tellRead(property: Int) {
    if let key = key(ofProperty: property) { tellRead(key) }
  }

  /// Reports that a property is about to change.
  func tellWillChange(_ key: String) {
    guard let observation = owner.context?.eventState.observation else { return }
    observation.knownRegistrar(of: owner)?.willSet(owner, keyPath: observation.keyPath(key))
  }

  /// Reports that the attribute in a slot is about to change.
  func tellWillChange(slot: Int) {
    if let attribute = owner.binding.attribute(ofSlot: slot) { tellWillChange(attribute.name) }
  }

  /// Reports that a property was changed.
  func tellDidChange(_ key: String) {
    guard let observation = owner.context?.eventState.observation else { return }
    observation.knownRegistrar(of: owner)?.didSet(owner, keyPath: observation.keyPath(key))
  }

  /// Reports that all properties may have changed.
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
