// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects

// Handlers that fill Foundation's dictionaries, as in Core Data.
extension BatchInsertRequest {
  /// Makes a request with a handler that fills dictionaries.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - handler: Fills an empty dictionary, or returns true when there are no more records.
  public convenience init(
    entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entityName: entityName, dictionaryHandler: filling(by: handler))
  }

  /// Makes a request with a handler that fills dictionaries.
  ///
  /// - Parameters:
  ///   - entity: An entity of the model.
  ///   - handler: Fills an empty dictionary, or returns true when there are no more records.
  public convenience init(
    entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entity: entity, dictionaryHandler: filling(by: handler))
  }
}

private func filling(
  by handler: @escaping (NSMutableDictionary) -> Bool
) -> (inout [String: Any]) -> Bool {
  { values in
    let dictionary = NSMutableDictionary()
    defer {
      for (key, value) in dictionary {
        if let name = key as? String { values[name] = value }
      }
    }
    return handler(dictionary)
  }
}
