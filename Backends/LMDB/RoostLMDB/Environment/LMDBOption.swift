// SPDX-License-Identifier: Apache-2.0

/// The names of the options of an LMDB store.
///
/// ```swift
/// description.options[LMDBOption.maximumSize] = .integer(1 << 30)
/// ```
public enum LMDBOption {
  /// The durability of an acknowledged save: the raw value of an ``LMDBDurability``.
  public static let durability = "RoostLMDBDurability"
  /// The maximum size of the file in bytes.
  public static let maximumSize = "RoostLMDBMaximumSize"
  /// The initial size of the memory map in bytes; the store enlarges it when it needs more.
  public static let initialSize = "RoostLMDBInitialSize"
  /// The number of bytes of the file's pages that are checked when a process opens it, an integer; 64 MiB when it is
  /// not set, and 0 for none. LMDB trusts the content of pages, and a damaged page can crash the process: in a file
  /// that is not larger than this, structural damage is a `corruptStore` error instead. Checking takes about 13 ms
  /// for 64 MiB that are in the system's page cache. Use `Int64.max` for files from untrusted sources, however large
  /// they are.
  public static let checkedSize = "RoostLMDBCheckedSize"
}
