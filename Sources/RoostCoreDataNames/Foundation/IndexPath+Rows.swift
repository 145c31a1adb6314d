// SPDX-License-Identifier: Apache-2.0

#if !canImport(UIKit) && !canImport(AppKit)
public import Foundation

// Members that UIKit and AppKit add to index paths, for fetched results.
extension IndexPath {
  /// Makes the index path of a row in a section.
  public init(row: Int, section: Int) {
    self.init(indexes: [section, row])
  }

  /// Makes the index path of an item in a section.
  public init(item: Int, section: Int) {
    self.init(indexes: [section, item])
  }

  /// The section.
  public var section: Int { self[0] }
  /// The row in the section.
  public var row: Int { self[1] }
  /// The item in the section.
  public var item: Int { self[1] }
}
#endif
