// SPDX-License-Identifier: Apache-2.0

/// A line of the program's source to which requests are attributed.
///
/// A context with a call site passes it to instruments with each of its requests, those of faults included; the log of
/// slow queries names it.
///
/// ```swift
/// context.callSite = .here()
/// print(StoreOperation(.fetch, storeName: "hr.sqlite", callSite: .here()).callSite!)  // Shop/Checkout.swift:42
/// ```
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  /// The module and the file, as `#fileID` gives them.
  public let fileID: String
  /// The line, from 1.
  public let line: Int

  /// Makes a call site.
  ///
  /// - Parameters:
  ///   - fileID: The module and the file, as `Shop/Checkout.swift`.
  ///   - line: The line, from 1.
  public init(fileID: String, line: Int) {
    self.fileID = fileID
    self.line = line
  }

  /// Returns the line of the call.
  ///
  /// - Parameters:
  ///   - fileID: The file; the default is that of the call.
  ///   - line: The line; the default is that of the call.
  public static func here(fileID: String = #fileID, line: Int = #line) -> CallSite {
    CallSite(fileID: fileID, line: line)
  }

  /// The file and the line, as `Shop/Checkout.swift:42`.
  public var description: String { "\(fileID):\(line)" }
}
