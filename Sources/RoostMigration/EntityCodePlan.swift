// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// The codes that the entities of a new store have: an entity that takes the objects of one other has its code, so
/// that records keep their keys, and no code of the source comes to mean another entity (M21).
struct EntityCodePlan {
  /// The codes by the names of the new model; those of removed entities have names that no entity has.
  let codes: [String: Int]
  /// The codes of renamed entities under their old names.
  let formerNames: [String: Int]

  init(_ mapping: MappingModel, _ source: StoreMetadata) {
    let making = mapping.entityMappings.filter(\.makesInstances)
    var codes: [String: Int] = [:]
    var formerNames: [String: Int] = [:]
    for entity in making {
      guard let old = entity.sourceEntityName, let new = entity.destinationEntityName,
        let code = source.entityCodes[old],
        making.allSatisfy({
          $0 === entity || ($0.sourceEntityName != old && $0.destinationEntityName != new)
        })
      else { continue }
      codes[new] = code
      if old != new { formerNames[old] = code }
    }
    let taken = Set(codes.values)
    let names = Set(mapping.entityMappings.compactMap(\.destinationEntityName))
    for (name, code) in source.entityCodes where !taken.contains(code) {
      codes[codes[name] == nil && !names.contains(name) ? name : "\(name) (\(code))"] = code
    }
    self.codes = codes
    self.formerNames = formerNames.filter { !names.contains($0.key) }
  }
}
