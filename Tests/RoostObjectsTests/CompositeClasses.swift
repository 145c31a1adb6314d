// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory

enum PostalKind: String { case home, office, `depot` }

struct PostalRemark: Codable, Hashable, Sendable {
  var text = "none"
}

@Composite struct MapPosition: Hashable {
  var latitude: Double = 0
  var longitude: Double = 0
  var height: Float?
}

@Composite struct PostalAddress: Hashable, Codable {
  @Attribute(maximum: 20) var street: String = ""
  @Attribute(.indexed) var city: String?
  var zip: Int32 = 1000
  var kind: PostalKind = .home
  var otherKind: PostalKind?
  var position: MapPosition = MapPosition()
  var entrance: MapPosition?
  var isChecked: Bool = false
  var isPrivate: Bool = false
  var tags: [String] = []
  var remark: PostalRemark = PostalRemark()
  var otherRemark: PostalRemark?
  var id: UUID = UUID()
  @Unmodeled var isShown: Bool = true

  static let capital = "Bern"
  var line: String { "\(street), \(city ?? "")" }
  var town: String? { city }

  enum CodingKeys: CodingKey { case street, city }
}

extension PostalAddress {
  init(from decoder: any Decoder) throws {
    self.init()
    city = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .city)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(city, forKey: .city)
  }
}

@Composite struct YearSpan: Hashable {
  let first: Int
  let last: Int
}

@Entity class Client: ManagedObject {
  var name: String = ""
  var address: PostalAddress = PostalAddress(street: "Main", city: "Bern")
  @Attribute var billing: PostalAddress?
  @Attribute var span: YearSpan?
  @Relationship(inverse: \.client) var orders: Set<Purchase>

  func validateSpan(_ span: inout YearSpan?) throws {
    guard let given = span, given.first > given.last else { return }
    span = YearSpan(first: given.last, last: given.first)
  }
}

@Entity final class VIPClient: Client {
  var home: MapPosition = MapPosition(latitude: 1, longitude: 2)
  @Attribute var plain: PostalAddress
}

@Entity final class Purchase: ManagedObject {
  var number: Int = 0
  @Relationship(inverse: \.orders) var client: Client?
}
