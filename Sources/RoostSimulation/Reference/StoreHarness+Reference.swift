// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostConformanceKit
import RoostStore

extension StoreHarness {
  /// Runs the kit on the ``ReferenceStore``.
  public static let reference = StoreHarness("Reference") {
    .reference(named: UUID().uuidString)
  }
}
