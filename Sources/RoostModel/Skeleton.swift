// SPDX-License-Identifier: Apache-2.0

public import Foundation

public class PropertyDescription: @unchecked Sendable {
  public var name = ""
}
public class AttributeDescription: PropertyDescription, @unchecked Sendable {}
public class RelationshipDescription: PropertyDescription, @unchecked Sendable {}
public final class EntityDescription: @unchecked Sendable {
  public var name: String?
}
public final class ManagedObjectModel: @unchecked Sendable {}
