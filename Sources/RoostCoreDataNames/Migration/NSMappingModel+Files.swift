// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostMigration
public import RoostModel

extension MappingModel {
  /// Reads a mapping model that was made with Xcode, as its source or compiled; nil when it cannot be read.
  ///
  /// - Parameter url: An `.xcmappingmodel` or a `.cdm`. Where there is no such file, one that is called alike is read.
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
  /// What the property gets, as an expression that calls nothing; nil also for one that calls the manager or the
  /// policy, which `NSExpression` cannot say here.
  public var valueExpression: NSExpression? {
    get { plainExpression.map { FetchConditions.expression(of: $0) } }
    set { plainExpression = newValue.map { FetchConditions.expression(of: $0) } }
  }
}

extension ManagedObjectModelReference {
  /// The model; one that is not there ends the program.
  public var resolvedModel: NSManagedObjectModel { orEnd { try foundModel() } }
}
