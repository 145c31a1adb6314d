// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostStore

extension PersistentContainer {
  /// Attaches an instrument, which is told of the operations of all stores from now on: add it before the stores are
  /// loaded to hear of their opening and migration. `persistentStoreCoordinator.instruments` removes it.
  ///
  /// ```swift
  /// let metrics = StoreMetrics()
  /// container.instrument(with: metrics)
  /// print(metrics.prometheusText())
  /// ```
  ///
  /// - Parameter instrument: The instrument; one that is attached already stays as it is.
  public final func instrument(with instrument: any StoreInstrument) {
    persistentStoreCoordinator.instruments.add(instrument)
  }
}
