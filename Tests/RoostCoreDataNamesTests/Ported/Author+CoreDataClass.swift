// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoreDataNames

public class Author: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(UUID(), forKey: "uuid")
  }
  public override func validateForInsert() throws {
    try super.validateForInsert()
    if name == "Nobody" {
      throw NSError(
        domain: "Author", code: 42, userInfo: [NSLocalizedDescriptionKey: "Nobody may write"])
    }
  }
}
