// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipDescription {
  /// Whether the number of destinations is limited.
  var limitsDestinations: Bool {
    isToMany ? minCount > 0 || maxCount > 0 : !isOptional
  }
}
