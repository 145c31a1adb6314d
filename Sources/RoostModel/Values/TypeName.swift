// SPDX-License-Identifier: Apache-2.0

/// The name of a value's type in messages: of the value inside of optionals, or `nil` for none.
package enum TypeName {
  /// Returns the name of a value's type.
  package static func of(_ value: Any?) -> String {
    guard let value else { return "nil" }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return "\(type(of: value))" }
    return of(mirror.children.first?.value)
  }
}
