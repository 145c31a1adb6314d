// SPDX-License-Identifier: Apache-2.0

/// A yes-or-no setting of an attribute.
///
/// ```swift
/// @Attribute(.unique, .preservesValueOnDeletion) var email: String
/// ```
public struct AttributeOption: Hashable, Sendable {
  private enum Kind: Hashable {
    case unique, indexed, optional, transient, externalStorage, preservesValueOnDeletion
    case cloudEncryption, spotlight, exact, searchable
  }

  private let kind: Kind

  /// No two objects have the same value. Subentities inherit the constraint.
  public static let unique = AttributeOption(kind: .unique)
  /// Stores keep an index of the values.
  public static let indexed = AttributeOption(kind: .indexed)
  /// Nil may be saved although the Swift type is not optional; it reads as zero, or as empty.
  public static let optional = AttributeOption(kind: .optional)
  /// The value is managed and validated, and never stored.
  public static let transient = AttributeOption(kind: .transient)
  /// The text can be searched for words (full-text search), with an index in stores that support one; for strings
  /// only.
  public static let searchable = AttributeOption(kind: .searchable)
  /// A decimal with more digits than stores hold fails validation, and is not rounded.
  public static let exact = AttributeOption(kind: .exact)
  /// A store may keep large values outside of the record. The option is part of the model's version hash; the stores
  /// of this version keep all values in their records.
  public static let externalStorage = AttributeOption(kind: .externalStorage)
  /// The history of the store keeps the last value of a deleted object. The option is part of the model's version
  /// hash.
  public static let preservesValueOnDeletion = AttributeOption(kind: .preservesValueOnDeletion)
  /// The field is encrypted in CloudKit; kept for models that Xcode reads.
  public static let allowsCloudEncryption = AttributeOption(kind: .cloudEncryption)
  /// The attribute is offered to the system's search; kept for models that Xcode reads.
  public static let spotlight = AttributeOption(kind: .spotlight)
}
