// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipDescription {
  /// Whether some numbers of destinations are wrong.
  var limitsDestinations: Bool {
    isToMany ? minCount > 0 || maxCount > 0 : !isOptional
  }
}
