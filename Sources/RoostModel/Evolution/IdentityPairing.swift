// SPDX-License-Identifier: Apache-2.0

/// The identity of a part across versions of a model: its name and its renaming identifier, which is the name unless
/// set.
struct PartIdentity: Hashable {
  let name: String
  let identifier: String

  init(_ name: String?, _ identifier: String?) {
    self.name = name ?? ""
    self.identifier = identifier.flatMap { $0.isEmpty ? nil : $0 } ?? self.name
  }

  /// Whether the identifier differs from the name.
  var isExplicit: Bool { name != identifier }
}

/// Matches the parts of two versions of a model (M8).
///
/// Parts with equal identifiers match, so an entity keeps its data through any number of renames. Otherwise a
/// destination's identifier may match the name of a source with another identifier; and a part that got an identifier
/// later, for older versions, still matches by its name.
struct IdentityPairing {
  /// Parts with ambiguous matches.
  struct Conflict {
    let destinations: [Int]
    let sources: [Int]
  }

  private enum Strength { case identifier, name }

  /// The source of each destination, by index; nil for a new one, and for one in conflict.
  private(set) var sources: [Int?]
  private(set) var conflicts: [Conflict] = []
  private var claims: [(destination: Int, strength: Strength)?]
  private var undecided: Set<Int> = []

  /// - Parameter mayPairByName: Whether a source and a destination of one name, whose identifiers say nothing of each
  ///   other, are the same part.
  init(
    _ sourceParts: [PartIdentity], _ destinationParts: [PartIdentity],
    mayPairByName: (_ source: Int, _ destination: Int) -> Bool
  ) {
    sources = Array(repeating: nil, count: destinationParts.count)
    claims = Array(repeating: nil, count: sourceParts.count)
    let byName = Dictionary(
      sourceParts.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let byIdentifier = Dictionary(
      grouping: sourceParts.indices, by: { sourceParts[$0].identifier })
    for (index, part) in destinationParts.enumerated() {
      guard let source = byName[part.name], sourceParts[source].identifier == part.identifier
      else { continue }
      claim(source, for: index, .identifier)
    }
    for (index, part) in destinationParts.enumerated() where sources[index] == nil {
      claimByIdentifier(byIdentifier[part.identifier] ?? [], for: index)
    }
    for (index, part) in destinationParts.enumerated() where isOpen(index) {
      guard let source = byName[part.identifier] else { continue }
      if let other = claims[source] {
        // A new part may reuse a former name of another one; only an explicit identifier is a claim.
        guard part.isExplicit || other.strength == .name else { continue }
        note(Conflict(destinations: [other.destination, index], sources: [source]))
      } else {
        claim(source, for: index, .name)
      }
    }
    for (index, part) in destinationParts.enumerated() where isOpen(index) {
      guard let source = byName[part.name], claims[source] == nil, mayPairByName(source, index)
      else { continue }
      claim(source, for: index, .name)
    }
  }

  /// The sources without a destination.
  var removed: [Int] { claims.indices.filter { claims[$0] == nil } }

  private func isOpen(_ destination: Int) -> Bool {
    sources[destination] == nil && !undecided.contains(destination)
  }

  private mutating func claim(_ source: Int, for destination: Int, _ strength: Strength) {
    sources[destination] = source
    claims[source] = (destination, strength)
  }

  private mutating func claimByIdentifier(_ candidates: [Int], for destination: Int) {
    let free = candidates.filter { claims[$0] == nil }
    if free.count == 1 {
      claim(free[0], for: destination, .identifier)
    } else if free.count > 1 {
      note(Conflict(destinations: [destination], sources: free))
    } else if let taken = candidates.first, let other = claims[taken]?.destination {
      note(Conflict(destinations: [other, destination], sources: [taken]))
    }
  }

  private mutating func note(_ conflict: Conflict) {
    conflicts.append(conflict)
    if let last = conflict.destinations.last { undecided.insert(last) }
  }
}
