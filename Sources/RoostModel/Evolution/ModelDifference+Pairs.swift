// SPDX-License-Identifier: Apache-2.0

extension ModelDifference {
  /// An entity of the new version, with its source in the old one.
  ///
  /// ```swift
  /// for pair in difference.entities where pair.source == nil { print("new: \(pair.destination.name ?? "")") }
  /// ```
  public struct EntityPair: Sendable {
    /// The entity in the old version; nil for a new one.
    public let source: EntityDescription?
    /// The entity in the new version.
    public let destination: EntityDescription
    /// The stored attributes and relationships of the new version, own and inherited ones, each with its source;
    /// sorted by name.
    public let properties: [PropertyPair]
  }

  /// A property of the new version, with its source in the old one.
  ///
  /// ```swift
  /// for pair in entity.properties { print(pair.destination.name, pair.sourceName ?? "is new") }
  /// ```
  public struct PropertyPair: Sendable {
    /// The property in the old version; nil for a new one, or one that was not stored.
    public let source: PropertyDescription?
    /// The name of the value in the old version: the property's name, or the dotted name of a composite's element
    /// that became an attribute; nil for a new property.
    public let sourceName: String?
    /// The property in the new version.
    public let destination: PropertyDescription
    /// The required conversion of values; nil when they can stay unchanged.
    public let conversion: ValueConversion?
    /// Whether the values must be computed for all records, for a derived attribute that is new or whose expression
    /// changed.
    public let isComputed: Bool
    /// The stored elements of a composite attribute, of all levels; empty for all others.
    public let elements: [ElementPair]
    /// The entities of the old version whose records can no longer be destinations, because they were removed, or
    /// moved out of the hierarchy of the destination. Links to their records must be removed.
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

  /// An element of a composite attribute of the new version, with its source in the old one.
  ///
  /// ```swift
  /// for element in pair.elements { print(element.destinationName, element.sourceName ?? "is new") }
  /// ```
  public struct ElementPair: Sendable {
    /// The element or attribute in the old version; nil for a new element.
    public let source: AttributeDescription?
    /// The name of the value in the old version, dotted when it was an element; nil for a new element.
    public let sourceName: String?
    /// The element in the new version.
    public let destination: AttributeDescription
    /// The dotted name of the element in the new version, such as `address.city`.
    public let destinationName: String
    /// The required conversion of values; nil when they can stay unchanged.
    public let conversion: ValueConversion?
  }

  /// Returns the pair of an entity of the new version.
  ///
  /// - Complexity: Linear in the number of entities.
  public func pair(for destination: EntityDescription) -> EntityPair? {
    entities.first { $0.destination === destination }
  }

  /// Returns the pair of an entity of the old version; nil when it is removed.
  ///
  /// - Complexity: Linear in the number of entities.
  public func pair(forSource source: EntityDescription) -> EntityPair? {
    entities.first { $0.source === source }
  }
}
