// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Arguments handed from ``RowMaterializer/makeFault(forKey:in:binding:row:group:)`` to the initializer of a record's
/// object. The references are unowned: `makeFault` holds them until the object is made.
struct AwaitedObject {
  let scope: Unmanaged<IDScope>
  let key: Int64
  let binding: Unmanaged<EntityBinding>
  let slots: SlotTable
  let row: Unmanaged<RowStorage>?
  let group: Unmanaged<FetchGroup>?
}
