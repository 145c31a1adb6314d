// SPDX-License-Identifier: Apache-2.0

extension ModelDifference {
  /// An entity of the new version, and what it was in the old one.
  ///
  /// ```swift
  /// for pair in difference.entities where pair.source == nil { print("new: \(pair.destination.name ?? "")") }
  /// ```
  public struct EntityPair: Sendable {
    /// The entity as it was; nil for a new one.
    public let source: EntityDescription?
    /// The entity as it is to be.
    public let destination: EntityDescription
    /// The stored attributes and relationships of the new version, own and inherited ones, each with what it was; by
    /// name.
    public let properties: [PropertyPair]
  }

  /// A property of the new version, and what it was in the old one.
  ///
  /// ```swift
  /// for pair in entity.properties { print(pair.destination.name, pair.sourceName ?? "is new") }
  /// ```
  public struct PropertyPair: Sendable {
    /// The property as it was; nil for a new one, or one that was not stored.
    public let source: PropertyDescription?
    /// The name under which the old version has the value: that of the property, or the dotted one of a composite's
    /// element, which is an attribute of its own now; nil for a new property.
    public let sourceName: String?
    /// The property as it is to be.
    public let destination: PropertyDescription
    /// How values have to be converted; nil when they can stay as they are.
    public let conversion: ValueConversion?
    /// Whether the values are to be computed for all records: those of a derived attribute that is new, or computed
    /// otherwise now.
    public let isComputed: Bool
    /// The stored elements of a composite attribute, of all levels; empty for all others.
    public let elements: [ElementPair]
    /// The entities of the old version whose records a relationship may lead to, and which it cannot lead to any more:
    /// they are removed, or moved out of the hierarchy of the destination. Links to their records have to go.
    public let lostDestinations: [EntityDescription]

    init(
      _ source: PropertyDescription?, _ destination: PropertyDescription,
      sourceName: String? = nil, conversion: ValueConversion? = nil, isComputed: Bool = false,
      elements: [ElementPair] = [], lostDestinations: [EntityDescription] = []
    ) {
      self.source = source
      self.sourceName = sourceName ?? source?.name
      self.destination = destination
      self.conversion = conversion
      self.isComputed = isComputed
      self.elements = elements
      self.lostDestinations = lostDestinations
    }
  }

  /// An element of a composite attribute of the new version, and what it was in the old one.
  ///
  /// ```swift
  /// for element in pair.elements { print(element.destinationName, element.sourceName ?? "is new") }
  /// ```
  public struct ElementPair: Sendable {
    /// The element, or attribute, as it was; nil for a new element.
    public let source: AttributeDescription?
    /// The name under which the old version has the value, with a dot when it was an element; nil for a new element.
    public let sourceName: String?
    /// The element as it is to be.
    public let destination: AttributeDescription
    /// The dotted name of the element in the new version, as `address.city`.
    public let destinationName: String
    /// How values have to be converted; nil when they can stay as they are.
    public let conversion: ValueConversion?
  }

  /// The pair of an entity of the new version.
  ///
  /// - Complexity: Linear in the number of entities.
  public func pair(for destination: EntityDescription) -> EntityPair? {
    entities.first { $0.destination === destination }
  }

  /// The pair of an entity of the old version; nil when it is removed.
  ///
  /// - Complexity: Linear in the number of entities.
  public func pair(forSource source: EntityDescription) -> EntityPair? {
    entities.first { $0.source === source }
  }
}
