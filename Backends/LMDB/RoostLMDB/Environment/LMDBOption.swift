// SPDX-License-Identifier: Apache-2.0

/// The names of the options of an LMDB store.
///
/// ```swift
/// description.options[LMDBOption.maximumSize] = .integer(1 << 30)
/// ```
public enum LMDBOption {
  /// What an acknowledged save survives: the raw value of an ``LMDBDurability``.
  public static let durability = "RoostLMDBDurability"
  /// The most bytes that the file may grow to.
  public static let maximumSize = "RoostLMDBMaximumSize"
  /// How many bytes of addresses are reserved at first; the store takes more when it needs them.
  public static let initialSize = "RoostLMDBInitialSize"
  /// How many bytes of the file's pages are checked when a process opens it, an integer; 64 MiB when it is not set, and
  /// 0 for none. LMDB trusts what stands in a page, and a damaged one can end the process: of a file that is not larger
  /// than this, damage of its structure is a `corruptStore` error instead. Checking takes about 13 ms for 64 MiB that
  /// are in the system's memory. Give `Int64.max` for files from elsewhere, however large they are.
  public static let checkedSize = "RoostLMDBCheckedSize"
}
