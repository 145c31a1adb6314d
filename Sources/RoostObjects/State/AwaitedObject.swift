// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What the object of a record is made of, from ``RowMaterializer/makeFault(forKey:in:binding:row:group:)`` to the
/// initializer. The maker holds what it refers to.
struct AwaitedObject {
  let scope: Unmanaged<IDScope>
  let key: Int64
  let binding: Unmanaged<EntityBinding>
  let slots: SlotTable
  let row: Unmanaged<RowStorage>?
  let group: Unmanaged<FetchGroup>?
}
