// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostMigration
public import RoostModel

extension MappingModel {
  /// Reads a mapping model that was made with Xcode, from its source or compiled; nil when it cannot be read.
  ///
  /// - Parameter url: An `.xcmappingmodel` or a `.cdm`. If the file does not exist, one with the same base name is
  ///   read.
  public convenience init?(contentsOf url: URL?) {
    guard let url else { return nil }
    let places =
      [url]
      + ["cdm", "xcmappingmodel"].map {
        url.deletingPathExtension().appendingPathExtension($0)
      }
    guard let place = places.first(where: { FileManager.default.fileExists(atPath: $0.path) })
    else {
      return nil
    }
    try? self.init(readFrom: place)
  }
}

extension PropertyMapping {
  /// The value of the property, as an expression without calls; nil also for one that calls the manager or the
  /// policy, which `NSExpression` cannot represent here.
  public var valueExpression: NSExpression? {
    get { plainExpression.map { FetchConditions.expression(of: $0) } }
    set { plainExpression = newValue.map { FetchConditions.expression(of: $0) } }
  }
}

extension ManagedObjectModelReference {
  /// The model; a model that cannot be found stops the program.
  public var resolvedModel: NSManagedObjectModel { orEnd { try foundModel() } }
}
