// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

extension PersistentStoreDescription {
  /// The same store behind a switch.
  package func interposed(_ faults: FaultSwitch) -> PersistentStoreDescription {
    forwarded { store in
      try faults.pass(.open)
      return InterposedStore(store, faults: faults)
    }
  }
}

extension ConformanceStage {
  /// Opens an empty store behind a switch.
  package func openFaulty(_ model: ManagedObjectModel) throws -> (ConformanceStack, FaultSwitch) {
    let faults = FaultSwitch()
    return (try open(model, on: [makeStore().interposed(faults)]), faults)
  }
}
