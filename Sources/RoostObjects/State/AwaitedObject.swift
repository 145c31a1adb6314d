// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// An object that is about to be made for a record; whoever makes it holds what it names.
struct AwaitedObject {
  let scope: Unmanaged<IDScope>
  let key: Int64
  let binding: Unmanaged<EntityBinding>
  let slots: SlotTable
  let row: Unmanaged<RowStorage>?
  let company: Unmanaged<ObjectCompany>?
}
