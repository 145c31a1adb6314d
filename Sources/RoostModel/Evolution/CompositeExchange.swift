// SPDX-License-Identifier: Apache-2.0

/// Matches attributes that become elements of a composite, and elements that become attributes (M10). They are
/// matched by names and renaming identifiers among parts without another counterpart, and only if there is a single
/// candidate.
struct CompositeExchange {
  /// The removed attributes that are not matched yet.
  private(set) var removed: [RemovedAttribute]

  init(_ removed: [RemovedAttribute]) {
    self.removed = removed
  }

  /// Matches new attributes and elements with removed ones.
  mutating func fill(_ matches: inout [AttributeMatch]) {
    for index in matches.indices {
      if matches[index].destination is CompositeAttributeDescription {
        fillElements(of: &matches[index])
      } else {
        fill(&matches[index], from: \.isElement)
      }
    }
  }

  private mutating func fillElements(of match: inout AttributeMatch) {
    for index in match.elements.indices {
      if match.elements[index].destination is CompositeAttributeDescription {
        fillElements(of: &match.elements[index])
      } else {
        fill(&match.elements[index]) { !$0.isElement }
      }
    }
  }

  private mutating func fill(
    _ match: inout AttributeMatch, from isCandidate: (RemovedAttribute) -> Bool
  ) {
    let attribute = match.destination
    guard match.source == nil, attribute.isStored, !(attribute is DerivedAttributeDescription)
    else { return }
    let wanted = PartIdentity(attribute.name, attribute.renamingIdentifier).identifier
    let candidates = removed.flatMap(\.leaves).filter { leaf in
      isCandidate(leaf) && leaf.attribute.isStored
        && (leaf.name == wanted || leaf.attribute.name == wanted
          || leaf.attribute.renamingIdentifier == wanted)
        && TypeChange(from: leaf.attribute.type, to: attribute.type) != .lossy
    }
    guard candidates.count == 1, let found = candidates.first else { return }
    match.source = found.attribute
    match.sourceName = found.name
    match.changedPlace = true
    removed = removed.flatMap { $0.without(found.attribute) }
  }
}

extension RemovedAttribute {
  fileprivate var isElement: Bool { name.contains(".") }

  /// The attribute itself, or the leaves of a composite.
  fileprivate var leaves: [RemovedAttribute] {
    guard let composite = attribute as? CompositeAttributeDescription else { return [self] }
    let path = name.dropLast(attribute.name.count)
    return composite.leaves.map { RemovedAttribute(name: path + $0.name, attribute: $0.attribute) }
  }

  /// Returns the remaining parts when an attribute is taken out.
  fileprivate func without(_ taken: AttributeDescription) -> [RemovedAttribute] {
    let leaves = leaves
    guard leaves.contains(where: { $0.attribute === taken }) else { return [self] }
    return leaves.filter { $0.attribute !== taken }
  }
}

/// The effect of a type change on an attribute's values.
enum TypeChange: Equatable {
  case none
  /// Nothing is lost; values are converted if their representation changes.
  case lossless(ValueConversion?)
  case lossy

  init(from old: AttributeType, to new: AttributeType) {
    switch (old, new) {
    case _ where old == new: self = .none
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
      (.float, .double):
      self = .lossless(nil)
    case (.integer16, .double), (.integer32, .double): self = .lossless(.integerToDouble)
    case (.string, .uri): self = .lossless(.stringToURI)
    case (.uri, .string): self = .lossless(.uriToString)
    default: self = .lossy
    }
  }

  var conversion: ValueConversion? {
    if case .lossless(let conversion) = self { conversion } else { nil }
  }
}
