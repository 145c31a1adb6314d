// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostStore

extension PersistentContainer {
  /// Attaches an instrument, which observes the operations of all stores from now on. Attach it before the stores are
  /// loaded to observe their opening and migration. `persistentStoreCoordinator.instruments` removes it.
  ///
  /// ```swift
  /// let metrics = StoreMetrics()
  /// container.instrument(with: metrics)
  /// print(metrics.prometheusText())
  /// ```
  ///
  /// - Parameter instrument: The instrument; attaching it twice has no effect.
  public final func instrument(with instrument: any StoreInstrument) {
    persistentStoreCoordinator.instruments.add(instrument)
  }
}
