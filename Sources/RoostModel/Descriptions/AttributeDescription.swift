// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Describes an attribute: its type, its default and the rules for its values.
///
/// ```swift
/// let age = AttributeDescription(name: "age", type: .integer32)
/// age.defaultValue = 0
/// age.minValue = .integer(0)
/// ```
public class AttributeDescription: PropertyDescription, @unchecked Sendable {
  // Sendable: as PropertyDescription: written while the model is built only; `isFrozen` refuses writes afterwards.

  /// The name of the type in Core Data's namespace.
  public typealias AttributeType = RoostModel.AttributeType

  /// The type of the values.
  public final var type: AttributeType { willSet { willChange() } }
  /// The default value of new objects, ``Value/null`` for none; not part of the version hash.
  public final var defaultConstant: Value = .null {
    willSet { willChange("defaultValue") }
    didSet {
      defaultTypeProblem = nil
      defaultObject = nil
    }
  }
  /// The smallest number or the earliest date that may be saved.
  public final var minValue: Value? { willSet { willChange() } }
  /// The largest number or the latest date that may be saved.
  public final var maxValue: Value? { willSet { willChange() } }
  /// The length of the shortest string that may be saved, in characters.
  public final var minLength: Int? { willSet { willChange() } }
  /// The length of the longest string that may be saved, in characters.
  public final var maxLength: Int? { willSet { willChange() } }
  /// A pattern that a whole string must match.
  public final var regularExpression: String? { willSet { willChange() } }
  /// The name of the codec of a transformable attribute; nil for the codec of its type.
  public final var valueTransformerName: String? { willSet { willChange() } }
  /// The codec of a transformable attribute without a transformer name, such as a `Codable` property of a class.
  public final var transformableCodec: TransformableCodec? { willSet { willChange() } }
  /// Whether a store may keep large values outside the record.
  public final var allowsExternalBinaryDataStorage = false { willSet { willChange() } }
  /// Whether the history keeps the value of a deleted object.
  public final var preservesValueInHistoryOnDeletion = false { willSet { willChange() } }
  /// Whether a decimal of more than 38 digits, which is what stores keep, is rounded when it is saved, half to even;
  /// if not, saving it throws `invalidValue`. Not part of the version hash.
  public final var allowsRounding = true { willSet { willChange() } }
  /// Whether texts are searched for words, so that stores keep a full-text index where they can. Not part of the
  /// version hash: searching works without an index, with the same results.
  ///
  /// ```swift
  /// title.isSearchable = true
  /// request.predicate = try FetchPredicate("title SEARCH %@", "wild goo*")
  /// ```
  public final var isSearchable = false { willSet { willChange() } }
  /// The type of the elements, for a transformable attribute whose values are arrays or sets that `@Entity` encodes as
  /// JSON; nil for every other attribute. Conditions can ask for its elements. Not part of the version hash.
  ///
  /// ```swift
  /// let tags = AttributeDescription(name: "tags", type: .transformable)
  /// tags.transformableCodec = .of([String].self)
  /// tags.elementType = .string
  /// request.predicate = try FetchPredicate("ANY tags == %@", "urgent")
  /// ```
  public final var elementType: AttributeType? { willSet { willChange() } }
  /// Whether the field is encrypted in CloudKit; kept for models made with Xcode.
  public final var allowsCloudEncryption = false { willSet { willChange() } }

  /// The default value as given; that of a transformable attribute may be of any class (B342).
  final var defaultObject: Any? { willSet { willChange("defaultValue") } }
  /// The name of the default value's Swift type when it is unsupported; reported by the model's check.
  final var defaultTypeProblem: String?
  final var explicitValueClassName: String? { willSet { willChange("attributeValueClassName") } }
  /// The composite that the attribute is an element of.
  final var composite = OwnerReference<CompositeAttributeDescription>()

  /// Makes an attribute without a name and type that belongs to no entity yet.
  public init() {
    type = .undefined
    super.init(name: "")
  }

  /// Makes an attribute that belongs to no entity yet.
  @_disfavoredOverload
  package init(name: String = "", type: AttributeType = .undefined) {
    self.type = type
    super.init(name: name)
  }

  /// The type of the values, under its older name.
  public final var attributeType: AttributeType {
    get { type }
    set { type = newValue }
  }

  /// The name of the class of the values, which a transformable attribute may set.
  public final var attributeValueClassName: String? {
    get { explicitValueClassName ?? type.attributeValueClassName }
    set { explicitValueClassName = newValue }
  }

  /// Whether the attribute is stored: all except transient attributes are.
  public final var isStored: Bool {
    var attribute = self
    for _ in 0...CompositeAttributeDescription.largestDepth {
      if attribute.isTransient { return false }
      guard let composite = attribute.composite.owner else { break }
      attribute = composite
    }
    return true
  }

  override func makeCopy() -> PropertyDescription {
    let copy = makeAttribute()
    copy.defaultConstant = defaultConstant
    copy.defaultObject = defaultObject
    copy.defaultTypeProblem = defaultTypeProblem
    copy.minValue = minValue
    copy.maxValue = maxValue
    copy.minLength = minLength
    copy.maxLength = maxLength
    copy.regularExpression = regularExpression
    copy.valueTransformerName = valueTransformerName
    copy.transformableCodec = transformableCodec
    copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    copy.allowsCloudEncryption = allowsCloudEncryption
    copy.allowsRounding = allowsRounding
    copy.isSearchable = isSearchable
    copy.elementType = elementType
    copy.explicitValueClassName = explicitValueClassName
    return copy
  }

  override func makeVersionHash() -> Data {
    VersionHash.attribute(self)
  }

  func makeAttribute() -> AttributeDescription {
    AttributeDescription(name: name, type: type)
  }
}
