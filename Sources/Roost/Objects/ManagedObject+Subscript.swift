// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostObjects

extension ManagedObject {
  /// Reads and sets a property by name: ``value(forKey:)`` and ``setValue(_:forKey:)`` in a form that cannot throw.
  /// For an unknown key or a value of another type nothing is changed, nil is read, and the next save throws the
  /// error.
  ///
  /// ```swift
  /// person["name"] = "Ada"
  /// let name = person["name"] as? String
  /// ```
  public subscript(key: String) -> Any? {
    get {
      do {
        return try value(forKey: key)
      } catch {
        managedObjectContext?.readErrors.noteUnthrown(error, of: self, key: key)
        return nil
      }
    }
    set {
      do {
        try setValue(newValue, forKey: key)
      } catch {
        managedObjectContext?.readErrors.noteUnthrown(error, of: self, key: key)
      }
    }
  }
}
