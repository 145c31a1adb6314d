// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
import RoostQuery

extension ManagedObjectModel {
  /// Reads a model that was made with Xcode; nil when it cannot be read. To learn why, use
  /// ``ManagedObjectModel/versionNames(at:)`` and `init(contentsOf:version:)`, which throw.
  ///
  /// - Parameter url: An `.xcdatamodeld` or `.xcdatamodel`.
  public convenience init?(contentsOf url: URL) {
    try? self.init(readFrom: url)
  }
}
