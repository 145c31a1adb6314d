// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoreDataNames

extension Author {

  @nonobjc public class func fetchRequest() -> NSFetchRequest<Author> {
    return NSFetchRequest<Author>(entityName: "Author")
  }

  @Managed public var birthday: Date?
  @Managed public var name: String?
  @Managed public var rating: Double
  @Managed public var photo: Data?
  @Managed public var uuid: UUID?
  @Managed public var books: NSSet?

}

// MARK: Generated accessors for books
extension Author {

  @ManagedMethod public func addToBooks(_ value: Book)

  @ManagedMethod public func removeFromBooks(_ value: Book)

  @ManagedMethod public func addToBooks(_ values: NSSet)

  @ManagedMethod public func removeFromBooks(_ values: NSSet)

}

extension Author: Identifiable {

}
