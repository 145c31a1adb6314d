// SPDX-License-Identifier: Apache-2.0

/// The name that stores of this kind have in their metadata.
enum LMDBStoreType {
  static let name = "LMDB"
}
